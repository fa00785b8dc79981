"""Arguments kept as attributes, and methods added to classes after the fact."""
import inspect


def add_to_class(Class):
    """Return a decorator that adds a function to `Class` as a method, also for existing objects.

    Args:
        Class: the class to extend.
    """
    def wrapper(obj):
        setattr(Class, obj.__name__, obj)
        return obj
    return wrapper


class HyperParameters:
    """Base of everything that keeps its constructor's arguments."""

    def save_hyperparameters(self, ignore=()):
        """Keep the arguments of the calling method as attributes and in `self.hparams`.

        Args:
            ignore: names of arguments not to keep.
        """
        info = inspect.getargvalues(inspect.currentframe().f_back)
        named = {name: info.locals[name] for name in info.args[1:]}
        named.update(info.locals[info.keywords] if info.keywords else {})
        self.hparams = {k: v for k, v in named.items()
                        if k not in ignore and not k.startswith('_')}
        for name, value in self.hparams.items():
            setattr(self, name, value)
