"""Devices, as contexts: ``with try_gpu():`` makes tensors and variables there."""
import tensorflow as tf


def cpu():
    """Return the CPU."""
    return tf.device('/CPU:0')


def gpu(i=0):
    """Return GPU number `i`."""
    return tf.device(f'/GPU:{i}')


def num_gpus():
    """Return the number of GPUs."""
    return len(tf.config.list_physical_devices('GPU'))


def try_gpu(i=0):
    """Return GPU number `i` where there is one, else the CPU."""
    return gpu(i) if i < num_gpus() else cpu()


def try_all_gpus():
    """Return the list of all GPUs, else of the CPU alone."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]
