"""Importing a backend: quiet, and with nothing that a recurrent network does not need."""
import subprocess
import sys

from d2lrnn import BACKENDS

LOAD = '''
import sys

class Finder:
    """Refuses what must not be needed, whether it is installed or not."""
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in {refused}:
            raise ModuleNotFoundError(name + ' must not be needed', name=name)

sys.meta_path.insert(0, Finder)
import {module}
'''


def test_import_is_quiet_and_needs_little(d2l):
    own = d2l.__name__.rsplit('.', 1)[-1]
    refused = {'tensorflow_datasets', 'torchvision', 'pandas',
               *(backend.module for backend in BACKENDS if backend.module != own)}
    done = subprocess.run([sys.executable, '-c', LOAD.format(module=d2l.__name__, refused=refused)],
                          capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')
