import { UnsecuredJWT } from 'jose';
import t from 'tap';
import { anonymous, ownerOf } from '../../../src/sessions/owner.js';

const token = (claims: Record<string, string>, at = '1h'): string =>
  `Bearer ${new UnsecuredJWT(claims).setExpirationTime(at).encode()}`;

const ada = { iss: 'https://id.example', sub: 'ada' };

t.test('a refreshed token has the same owner', async (t) => {
  t.not(token(ada, '1h'), token(ada, '2h'));
  t.equal(ownerOf(token(ada, '1h'), true), ownerOf(token(ada, '2h'), true));
  t.equal(
    ownerOf(token(ada).replace('Bearer', 'bearer'), true),
    ownerOf(token(ada), true),
    'in any case of the scheme',
  );
});

t.test('owners are told apart', async (t) => {
  const headers = [
    undefined,
    token(ada),
    token({ ...ada, sub: 'bob' }),
    token({ ...ada, iss: 'https://other.example' }),
    token({ sub: 'ada' }),
    token({ iss: ada.iss }), // nobody in particular: the token itself counts
    'Bearer opaque',
    'Bearer opaque2',
    'Basic b3BhcXVl',
    'Bearer a.b.c',
    'Bearer anonymous',
    '',
  ];
  t.equal(new Set(headers.map((one) => ownerOf(one, true))).size, headers.length);
});

t.test('no credential stands in an owner', async (t) => {
  for (const header of ['Bearer secret-token', 'Basic c2VjcmV0']) {
    t.notMatch(ownerOf(header, true), header.split(' ')[1]);
  }
  t.equal(ownerOf(undefined, true), anonymous);
});

t.test('what a token says counts only where the upstream checks it', async (t) => {
  t.not(ownerOf(token(ada, '1h'), false), ownerOf(token(ada, '2h'), false));
  t.equal(ownerOf(token(ada, '1h'), false), ownerOf(token(ada, '1h'), false));
  t.not(ownerOf(token(ada), false), ownerOf(token(ada), true));
});

t.test('an owner is the same after many others were seen', async (t) => {
  const before = ownerOf(token(ada), true);
  for (let n = 0; n < 2_500; n++) ownerOf(`Bearer ${n}`, true);
  t.equal(ownerOf(token(ada), true), before);
});
