"""Devices."""
import jax


def cpu():
    """Return the CPU."""
    return jax.devices('cpu')[0]


def gpu(i=0):
    """Return GPU number `i`."""
    return jax.devices('gpu')[i]


def num_gpus():
    """Return the number of GPUs."""
    try:
        return jax.device_count('gpu')
    except RuntimeError:  # JAX was installed for the CPU alone
        return 0


def try_gpu(i=0):
    """Return GPU number `i` where there is one, else the CPU."""
    return gpu(i) if i < num_gpus() else cpu()


def try_all_gpus():
    """Return the list of all GPUs, else of the CPU alone."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]
