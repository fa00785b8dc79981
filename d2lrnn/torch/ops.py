"""d2l's short names for operations, on PyTorch."""
import torch
from torch import (abs, arange, bmm as batch_matmul, cat as concat, cos, cosh, exp, eye, float32,
                   int32, int64, linspace, log, matmul, meshgrid, nn, normal, ones, ones_like,
                   rand, randn, sigmoid, sin, sinh, stack, swapaxes, tanh, tensor, zeros,
                   zeros_like)

nn_Module = nn.Module
argmax = torch.Tensor.argmax
astype = torch.Tensor.type
expand_dims = torch.Tensor.unsqueeze
reduce_mean = torch.Tensor.mean
reduce_sum = torch.Tensor.sum
repeat = torch.Tensor.repeat
reshape = torch.Tensor.reshape
size = torch.Tensor.numel
to = torch.Tensor.to
transpose = torch.Tensor.t


def numpy(x):
    """Return a tensor's values as a NumPy array."""
    return x.detach().cpu().numpy()


__all__ = [name for name in dir() if not name.startswith('_') and name not in ('torch', 'nn')]
