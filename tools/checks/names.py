"""Names of frameworks and tools, and terms of the field, are spelled as their makers spell them."""
import re

# Any other capitals, or a hyphen or space between the parts, are wrong.
NAMES = ('PyTorch', 'TensorFlow', 'Keras', 'JAX', 'Flax', 'Optax', 'MXNet', 'Gluon', 'NumPy',
         'SciPy', 'cuDNN', 'CUDA', 'ONNX', 'XLA', 'Jupyter', 'Colab', 'GitHub', 'Matplotlib',
         'MathJax', 'Sphinx', 'MyST', 'arXiv', 'Python', 'LSTM', 'GRU', 'RNN', 'CPU', 'GPU', 'SVG',
         'HTML', 'PDF', 'EPUB', 'DOI', 'SGD', 'Adam')
PLURAL = {'LSTM', 'GRU', 'RNN', 'CPU', 'GPU', 'SVG', 'PDF', 'EPUB', 'DOI'}
# Pattern of the wrong ways -> the right one.
TERMS = {
    r'back[- ]propagat(\w+)': r'backpropagat\1',
    r'bi-directional(\w*)': r'bidirectional\1',
    r'cross entropy(?= loss)': 'cross-entropy',
    r'de-coder(\w*)': r'decoder\1',
    r'drop-out(\w*)': r'dropout\1',
    r'en-coder(\w*)': r'encoder\1',
    r'feed-forward|feed forward(?= net)': 'feedforward',
    r'hyper[- ]parameter(\w*)': r'hyperparameter\1',
    r'long-short[- ]term': 'long short-term',
    r'long short term': 'long short-term',
    r'mini-batch(\w*)': r'minibatch\1',
    r'multi-layer(\w*)': r'multilayer\1',
    r'one hot(?= (?:vector|encod|cod))': 'one-hot',
    r'over-fit(\w*)': r'overfit\1',
    r'pre-process(\w*)': r'preprocess\1',
    r'sub-sequence(\w*)': r'subsequence\1',
    r'under-fit(\w*)': r'underfit\1',
    r'un-roll(\w*)': r'unroll\1',
    r'uni-directional(\w*)': r'unidirectional\1',
    r'time-steps?': 'time step',
}
VARIANTS = {name: re.compile(r'(?<![\w./$-])' + '[- ]?'.join(
    re.escape(part) for part in re.findall(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])', name))
    + ("'?s?" if name in PLURAL else '') + r'(?![\w/]|[.-]\w)', re.IGNORECASE) for name in NAMES}
WRONG = [(re.compile(rf'\b(?:{pattern})\b', re.IGNORECASE), right)
         for pattern, right in TERMS.items()]


def find(book):
    for source in book.sources:
        for block in source.text.blocks:
            for piece in block.pieces:
                if piece.kind == 'text':
                    for found, right in _wrong(piece.text):
                        yield source.finding(piece.line, f'{found!r}; write {right!r}')


def _wrong(text):
    for name, pattern in VARIANTS.items():
        for match in pattern.finditer(text):
            if match[0] not in (name, f'{name}s' if name in PLURAL else name):
                plural = 's' if name in PLURAL and match[0].lower().endswith('s') else ''
                if not match[0] == f"{name}'s":
                    yield match[0], name + plural
    for pattern, right in WRONG:
        for match in pattern.finditer(text):
            yield match[0], match.expand(right)
