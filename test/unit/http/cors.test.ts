import t from 'tap';
import { createCors } from '../../../src/http/cors.js';

const page = 'https://app.example';
const cors = createCors({
  allowsOrigin: (origin) => origin === page,
  methods: ['POST', 'GET'],
  allow: ['Content-Type', 'Mcp-Method'],
  allowPrefix: 'mcp-param-',
  expose: ['Mcp-Session-Id', 'WWW-Authenticate'],
});

t.test('a page that is allowed may read the answer', async (t) => {
  t.same(cors.headersFor({ headers: { origin: page } }), {
    'access-control-allow-origin': page,
    'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
    vary: 'Origin',
  });
});

t.test('a page that is not allowed may not, and no cache gives it the answer to another', async (t) => {
  for (const origin of ['https://evil.test', 'null', `${page}, https://evil.test`, ''])
    t.same(cors.headersFor({ headers: { origin } }), { vary: 'Origin' });
});

t.test('who is no page gets nothing', async (t) => {
  t.same(cors.headersFor({ headers: {} }), {});
});

t.test('a preflight is told what may be sent', async (t) => {
  const asked = 'content-type,mcp-param-region, Mcp-Param-a.b ,x-secret,mcp-param-,mcp-param- x,mcp-paramx';
  const headers = { origin: page, 'access-control-request-headers': asked };
  const told = cors.preflight({ method: 'OPTIONS', headers });
  t.same(told, {
    allow: 'POST, GET',
    'access-control-allow-methods': 'POST, GET',
    'access-control-allow-headers': 'Content-Type, Mcp-Method, mcp-param-region, Mcp-Param-a.b, mcp-param-',
    'access-control-max-age': '7200',
  });
});

t.test('a plain OPTIONS is told the same, and nothing else is a preflight', async (t) => {
  t.match(cors.preflight({ method: 'OPTIONS', headers: {} }), {
    allow: 'POST, GET',
    'access-control-allow-headers': 'Content-Type, Mcp-Method',
  });
  for (const method of ['POST', 'GET', 'HEAD']) t.equal(cors.preflight({ method, headers: {} }), undefined);
});
