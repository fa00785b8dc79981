"""Devices."""
from mxnet import npx


def cpu():
    """Return the CPU."""
    return npx.cpu()


def gpu(i=0):
    """Return GPU number `i`."""
    return npx.gpu(i)


def num_gpus():
    """Return the number of GPUs."""
    return npx.num_gpus()


def try_gpu(i=0):
    """Return GPU number `i` where there is one, else the CPU."""
    return gpu(i) if i < num_gpus() else cpu()


def try_all_gpus():
    """Return the list of all GPUs, else of the CPU alone."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]
