"""Packaging."""
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
namespace = {}
exec((ROOT / 'd2lrnn' / '__init__.py').read_text(encoding='utf-8'), namespace)

# What a backend's extra installs; exact versions that are known to work stand in
# tools/requirements/, looser ones here so that a reader's environment may move on.
EXTRAS = {
    'torch': ['torch>=2.6'],
    'tensorflow': ['tensorflow>=2.18'],
    'jax': ['jax>=0.6', 'flax>=0.10.4', 'optax>=0.2.4'],
    'mxnet': ['mxnet==1.9.1', 'numpy<1.24'],
}

setup(
    name='d2lrnn',
    version=namespace['__version__'],
    description='Recurrent networks on PyTorch, TensorFlow, JAX and MXNet: '
                'the companion package of a textbook',
    long_description=(ROOT / 'README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    license='MIT',
    packages=find_packages(include=['d2lrnn', 'd2lrnn.*']),
    package_data={'d2lrnn': ['corpora/*']},
    python_requires='>=3.9',
    install_requires=['numpy', 'matplotlib', 'matplotlib-inline', 'pooch', 'safetensors', 'tqdm'],
    extras_require=EXTRAS,
)
