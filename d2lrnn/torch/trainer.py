"""The training loop."""
import torch
from torch.nn.parameter import is_lazy

from ..core.carry import carried_batches
from ..core.trainer import TrainerBase
from .devices import cpu, gpu, num_gpus


class Trainer(TrainerBase):
    __doc__ = TrainerBase.__doc__

    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0, seed=0, carry_state=False,
                 reset_every=None):
        super().__init__(max_epochs, num_gpus, gradient_clip_val, seed, carry_state, reset_every)
        self.device = _device(num_gpus)

    def prepare_batch(self, batch):
        """Return the batch on the trainer's device."""
        return [a.to(self.device) for a in batch]

    def prepare_model(self, model):
        """Move the model to the device; run one batch if parameters still lack a shape."""
        super().prepare_model(model)
        model.to(self.device)
        if any(is_lazy(p) for p in model.parameters()):
            with torch.no_grad():
                batch = next(iter(self.val_dataloader or self.train_dataloader))
                model(*self.prepare_batch(batch)[:-1])
            self.prepare_data(self.data)  # that look has moved the order of the batches on

    def start(self):
        """Seed dropout and make the optimizer."""
        torch.manual_seed(self.seed)
        super().start()

    def fit_epoch(self):
        """Run all training batches, then all validation batches."""
        self.model.train()
        for loss in self._losses(self.train_dataloader, self.model.training_step, train=True):
            self.optim.zero_grad()
            loss.backward()
            if self.gradient_clip_val > 0:
                self.clip_gradients(self.gradient_clip_val, self.model)
            self.optim.step()
        self.model.eval()
        with torch.no_grad():
            for _ in self._losses(self.val_dataloader or (), self.model.validation_step,
                                  train=False):
                pass

    def _losses(self, loader, step, train):
        """Yield what a step returns, batch by batch; the state goes along where it is carried."""
        if not any(self.carried_layers):
            for batch in loader:
                yield step(self.prepare_batch(batch))
            return
        state = None
        for batch, keep in carried_batches(loader, self.carried_layers, self.reset_every):
            loss, state = self.model.carried_step(self.prepare_batch(batch), state, keep, train)
            yield loss

    def clip_gradients(self, grad_clip_val, model):
        r"""Scale the gradient so that its norm over all parameters is at most `grad_clip_val`.

        $$\mathbf{g} \leftarrow \min(1, \theta / \|\mathbf{g}\|)\, \mathbf{g}$$

        Args:
            grad_clip_val: the largest norm, theta.
            model: the model whose gradients are scaled in place.

        Raises:
            RuntimeError: a parameter has no gradient.

        Source: Pascanu, Mikolov and Bengio (2013), arXiv:1211.5063.
        """
        params = {name: p for name, p in model.named_parameters() if p.requires_grad}
        missing = [name for name, p in params.items() if p.grad is None]
        if missing:
            raise RuntimeError(f'no gradient reached {", ".join(missing)}; use every parameter in '
                               'forward, or set requires_grad=False on those that are fixed')
        grads = [p.grad for p in params.values()]
        norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in grads]))
        scale = (grad_clip_val / norm).clamp(max=1)
        for grad in grads:
            grad.mul_(scale)


def _device(wanted):
    return gpu() if wanted and num_gpus() else cpu()
