"""The training loop."""
from mxnet import autograd, np, npx
from mxnet.gluon.utils import shape_is_known

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
        return [a.as_in_ctx(self.device) for a in batch]

    def prepare_model(self, model):
        """Initialize the model on the device; run one batch if parameters still lack a shape."""
        super().prepare_model(model)
        model.initialize(ctx=self.device)
        params = model.collect_params()
        params.reset_ctx(self.device)
        lazy = not all(shape_is_known(param.shape) for param in params.values())
        if lazy and self.val_dataloader is not None:  # else the first training batch does it
            model(*self.prepare_batch(next(iter(self.val_dataloader)))[:-1])

    def start(self):
        """Seed dropout and make the optimizer."""
        npx.random.seed(self.seed)
        super().start()

    def fit_epoch(self):
        """Run all training batches, then all validation batches."""
        for loss in self._losses(self.train_dataloader, self.model.training_step, train=True):
            loss.backward()
            if self.gradient_clip_val > 0:
                self.clip_gradients(self.gradient_clip_val, self.model)
            self.optim.step(1)  # the loss is a mean already
        for _ in self._losses(self.val_dataloader or (), self.model.validation_step, train=False):
            pass

    def _losses(self, loader, step, train):
        """Yield what a step returns, batch by batch; the state goes along where it is carried."""
        mode, state = autograd.record if train else autograd.pause, None  # training or evaluation
        if not any(self.carried_layers):
            for batch in loader:
                with mode():
                    loss = step(self.prepare_batch(batch))
                yield loss
            return
        for batch, keep in carried_batches(loader, self.carried_layers, self.reset_every):
            with mode():
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
        params = [p for p in model.collect_params().values() if p.grad_req != 'null']
        missing = [p.name for p in params if not has_gradient(p)]
        if missing:
            raise RuntimeError(f'no gradient reached {", ".join(missing)}; use every parameter in '
                               "forward, or set grad_req='null' on those that are fixed")
        grads = [p.grad() for p in params]
        norm = np.sqrt(sum((grad**2).sum() for grad in grads))
        scale = np.minimum(grad_clip_val / norm, 1)
        for grad in grads:
            grad *= scale


def has_gradient(param):
    """Return whether a parameter has a gradient that no step has used yet."""
    # Gluon zeroes no gradient: what tells a new one from an old one, or none, is this flag, which
    # backward sets and gluon.Trainer clears.
    return shape_is_known(param.shape) and param.data()._fresh_grad


def _device(wanted):
    return gpu() if wanted and num_gpus() else cpu()
