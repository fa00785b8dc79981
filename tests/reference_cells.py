"""The oracle's cells: one step forward, and the same step backward, derived by hand.

`step` takes a layer's weights, an input (batch_size, num_inputs) and a state, an array
(1, batch_size, num_hiddens), or (2, batch_size, num_hiddens) where there is a memory cell: H first.
It returns the new state and what `back` needs. `back` takes the gradient with respect to the new
state, and returns those with respect to the input, to the state before and to the weights.
"""
import numpy as np


def sigmoid(A):
    return 1 / (1 + np.exp(-A))


def _affine(w, gate, X, H):
    return X @ w[f'W_x{gate}'] + H @ w[f'W_h{gate}'] + w[f'b_{gate}']


def _affine_back(w, X, H, deltas):
    """Return the gradients with respect to X, to H and to the weights.

    Args:
        deltas: by gate, the gradient with respect to the input's part and to the state's part of
            what goes into the gate; the two differ only where something stands between them.
    """
    dX, dH, dw = np.zeros_like(X), np.zeros_like(H), {}
    for gate, (from_x, from_h) in deltas.items():
        dX += from_x @ w[f'W_x{gate}'].T
        dH += from_h @ w[f'W_h{gate}'].T
        dw[f'W_x{gate}'], dw[f'W_h{gate}'] = X.T @ from_x, H.T @ from_h
        if f'b_{gate}' in w:
            dw[f'b_{gate}'] = from_x.sum(0)
        else:
            dw[f'b_x{gate}'], dw[f'b_h{gate}'] = from_x.sum(0), from_h.sum(0)
    return dX, dH, dw


class TanhCell:
    """H = tanh(X W_xh + H' W_hh + b_h)."""
    gates, biases, states = 'h', ('b_h',), 1

    @staticmethod
    def step(w, X, S):
        H = np.tanh(_affine(w, 'h', X, S[0]))
        return np.stack([H]), (X, S, H)

    @staticmethod
    def back(w, cache, dS):
        X, S, H = cache
        delta = dS[0] * (1 - H**2)
        dX, dH, dw = _affine_back(w, X, S[0], {'h': (delta, delta)})
        return dX, np.stack([dH]), dw


class GRUCell:
    """Reset after the product: N = tanh(X W_xn + b_xn + R (H' W_hn + b_hn))."""
    gates, biases, states = 'rzn', ('b_r', 'b_z', 'b_xn', 'b_hn'), 1

    @staticmethod
    def step(w, X, S):
        H = S[0]
        R, Z = sigmoid(_affine(w, 'r', X, H)), sigmoid(_affine(w, 'z', X, H))
        P = H @ w['W_hn'] + w['b_hn']
        N = np.tanh(X @ w['W_xn'] + w['b_xn'] + R * P)
        return np.stack([Z * H + (1 - Z) * N]), (X, S, R, Z, P, N)

    @staticmethod
    def back(w, cache, dS):
        X, S, R, Z, P, N = cache
        dn = dS[0] * (1 - Z) * (1 - N**2)
        dz = dS[0] * (S[0] - N) * Z * (1 - Z)
        dr = dn * P * R * (1 - R)
        dX, dH, dw = _affine_back(w, X, S[0], {'r': (dr, dr), 'z': (dz, dz), 'n': (dn, dn * R)})
        return dX, np.stack([dH + dS[0] * Z]), dw


class ResetFirstGRUCell:
    """Reset before the product: N = tanh(X W_xn + (R H') W_hn + b_n)."""
    gates, biases, states = 'rzn', ('b_r', 'b_z', 'b_n'), 1

    @staticmethod
    def step(w, X, S):
        H = S[0]
        R, Z = sigmoid(_affine(w, 'r', X, H)), sigmoid(_affine(w, 'z', X, H))
        N = np.tanh(_affine(w, 'n', X, R * H))
        return np.stack([Z * H + (1 - Z) * N]), (X, S, R, Z, N)

    @staticmethod
    def back(w, cache, dS):
        X, S, R, Z, N = cache
        H = S[0]
        dn = dS[0] * (1 - Z) * (1 - N**2)
        dX, dRH, dw = _affine_back(w, X, R * H, {'n': (dn, dn)})
        dz = dS[0] * (H - N) * Z * (1 - Z)
        dr = dRH * H * R * (1 - R)
        from_gates, dH, gates = _affine_back(w, X, H, {'r': (dr, dr), 'z': (dz, dz)})
        return dX + from_gates, np.stack([dH + dS[0] * Z + dRH * R]), {**dw, **gates}


class LSTMCell:
    """C = F C' + I G, H = O tanh(C)."""
    gates, biases, states = 'ifgo', ('b_i', 'b_f', 'b_g', 'b_o'), 2

    @staticmethod
    def step(w, X, S):
        H, C = S
        I, F, O = (sigmoid(_affine(w, gate, X, H)) for gate in 'ifo')
        G = np.tanh(_affine(w, 'g', X, H))
        new = F * C + I * G
        return np.stack([O * np.tanh(new), new]), (X, S, I, F, G, O, np.tanh(new))

    @staticmethod
    def back(w, cache, dS):
        X, S, I, F, G, O, T = cache
        dC = dS[1] + dS[0] * O * (1 - T**2)
        deltas = {'i': dC * G * I * (1 - I), 'f': dC * S[1] * F * (1 - F),
                  'g': dC * I * (1 - G**2), 'o': dS[0] * T * O * (1 - O)}
        dX, dH, dw = _affine_back(w, X, S[0], {gate: (d, d) for gate, d in deltas.items()})
        return dX, np.stack([dH, dC * F]), dw


def of(weights):
    """Return the cell that has weights of these names."""
    return next(cell for cell in (TanhCell, GRUCell, ResetFirstGRUCell, LSTMCell)
                if set(cell.biases) <= set(weights))
