"""Cells that a reader writes, one module a framework, in the conventions of d2l's chapters."""

# A model of each chapter, from a module of cells and the sizes of the vocabulary and the layers.
MODELS = {
    'rnn-scratch': lambda c, V, h: c.PlainLM(c.PlainRNN(V, h, sigma=0.5), vocab_size=V, lr=2),
    'rnn-concise': lambda c, V, h: c.LayerLM(c.LayerRNN(V, h), vocab_size=V, lr=2),
    'lstm': lambda c, V, h: c.d2l.RNNLMScratch(c.GatedLSTM(V, h, 0.5), vocab_size=V, lr=2),
    'lstm, concise': lambda c, V, h: c.d2l.RNNLM(
        c.LayerLSTM(num_inputs=V, num_hiddens=h), vocab_size=V, lr=2),
    'gru': lambda c, V, h: c.d2l.RNNLMScratch(c.GatedGRU(V, h, 0.5), vocab_size=V, lr=2),
    'gru, concise': lambda c, V, h: c.d2l.RNNLM(
        c.LayerGRU(num_inputs=V, num_hiddens=h), vocab_size=V, lr=2),
    'deep-rnn': lambda c, V, h: c.d2l.RNNLMScratch(c.Tower(V, h, 2, 0.5), vocab_size=V, lr=2),
    'deep-rnn, concise': lambda c, V, h: c.d2l.RNNLM(
        c.LayerGRU(num_inputs=V, num_hiddens=h, num_layers=2), vocab_size=V, lr=2),
    'bi-rnn': lambda c, V, h: c.d2l.RNNLMScratch(c.BothWays(V, h, 0.5), vocab_size=V, lr=2),
    'bi-rnn, concise': lambda c, V, h: c.d2l.Tagger(
        c.LayerGRU(num_inputs=V, num_hiddens=h, bidirectional=True), V, vocab_size=V, lr=2),
}


def _names(at, path, gates='h'):
    return {f'rnn.{at}.{kind}{gate}': ('rnn', *path, f'{kind}{gate}')
            for gate in gates for kind in ('W_x', 'W_h', 'b_')}


_HEAD = {'W_hq': ('W_hq',), 'b_q': ('b_q',)}
# Where a model from scratch keeps the parameters that the oracle knows by their canonical names.
PATHS = {
    'rnn-scratch': {**_names('0.forward', ()), **_HEAD},
    'lstm': {**_names('0.forward', (), 'ifgo'), **_HEAD},
    'gru': {**_names('0.forward', (), 'rzn'), **_HEAD},
    'deep-rnn': {**_names('0.forward', ('rnns', 0)), **_names('1.forward', ('rnns', 1)), **_HEAD},
    'bi-rnn': {**_names('0.forward', ('f_rnn',)), **_names('0.backward', ('b_rnn',)), **_HEAD},
}


def add_layers(d2l, Gated, PlainRNN, GatedLSTM, GatedGRU):
    """Run the cells of all tabs that say what layers do, by methods added to their classes."""
    @d2l.add_to_class(Gated)
    def affine(self, gate, X, H):
        W_x, W_h, b = (getattr(self, f'{name}{gate}') for name in ('W_x', 'W_h', 'b_'))
        return d2l.matmul(X, W_x) + d2l.matmul(H, W_h) + b

    @d2l.add_to_class(Gated)
    def forward(self, inputs, state=None):
        zeros = [d2l.zeros((inputs.shape[1], self.num_hiddens)) for _ in range(self.num_states)]
        state = (zeros if self.num_states > 1 else zeros[0]) if state is None else state
        outputs = []
        for X in inputs:
            H, state = self.step(X, state)
            outputs.append(H)
        return outputs, state

    @d2l.add_to_class(PlainRNN)
    def step(self, X, H):
        H = d2l.tanh(self.affine('h', X, H))
        return H, H

    @d2l.add_to_class(GatedLSTM)
    def step(self, X, H_C):
        H, C = H_C
        I, F, O = (d2l.sigmoid(self.affine(gate, X, H)) for gate in 'ifo')
        C = F * C + I * d2l.tanh(self.affine('g', X, H))
        H = O * d2l.tanh(C)
        return H, (H, C)

    @d2l.add_to_class(GatedGRU)
    def step(self, X, H):
        R, Z = (d2l.sigmoid(self.affine(gate, X, H)) for gate in 'rz')
        H = Z * H + (1 - Z) * d2l.tanh(self.affine('n', X, R * H))
        return H, H


def add_models(d2l, Tower, PlainLM):
    """Run the cells of all tabs that say what a stack and a language model do."""
    @d2l.add_to_class(Tower)
    def forward(self, inputs, Hs=None):
        outputs, Hs = inputs, list(Hs or [None] * self.num_layers)
        for i in range(self.num_layers):
            outputs, Hs[i] = self.rnns[i](outputs, Hs[i])
            outputs = d2l.stack(outputs, 0)
        return outputs, Hs

    @d2l.add_to_class(PlainLM)
    def output_layer(self, rnn_outputs):
        return d2l.stack([d2l.matmul(H, self.W_hq) + self.b_q for H in rnn_outputs], 1)

    @d2l.add_to_class(PlainLM)
    def forward(self, X, state=None):
        rnn_outputs, _ = self.rnn(self.one_hot(X), state)
        return self.output_layer(rnn_outputs)


def add_steps(d2l, PlainLM):
    """Run the cells of all tabs but JAX's: how a model learns, and how it continues a text."""
    @d2l.add_to_class(PlainLM)
    def training_step(self, batch):
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.plot('ppl', d2l.exp(l), train=True)
        return l

    @d2l.add_to_class(PlainLM)
    def validation_step(self, batch):
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.plot('ppl', d2l.exp(l), train=False)

    @d2l.add_to_class(PlainLM)
    def predict(self, prefix, num_preds, vocab, device=None):
        state, found = None, list(vocab[list(prefix)])
        for i in range(len(prefix) + num_preds - 1):
            rnn_outputs, state = self.rnn(self.one_hot(d2l.tensor([[found[i]]])), state)
            if i >= len(prefix) - 1:
                Y = d2l.argmax(self.output_layer(rnn_outputs), axis=2)
                found.append(int(d2l.numpy(Y)[0, 0]))
        return ''.join(vocab.to_tokens(found))


# Where a reader may keep layers, as functions of the block and its layers.
HOLDERS = {
    'a list that is filled later': lambda block, layers: (setattr(block, 'rnns', []),
                                                          block.rnns.extend(layers)),
    'a tuple': lambda block, layers: setattr(block, 'rnns', tuple(layers)),
    'a dictionary': lambda block, layers: setattr(
        block, 'rnns', {f'layer{i}': layer for i, layer in enumerate(layers)}),
    'lists in a list': lambda block, layers: setattr(block, 'rnns', [[layer] for layer in layers]),
}


def flat(held):
    """Yield the layers that one of HOLDERS has put away."""
    if hasattr(held, '__iter__'):
        for item in held.values() if hasattr(held, 'values') else held:
            yield from flat(item)
    else:
        yield held


def add_kept(d2l, Kept):
    """Run the cell of all tabs that says what a stack does, wherever its layers are."""
    @d2l.add_to_class(Kept)
    def forward(self, inputs, Hs=None):
        outputs = inputs
        for layer in flat(self.rnns):
            outputs, _ = layer(outputs)
            outputs = d2l.stack(outputs, 0)
        return outputs, Hs
