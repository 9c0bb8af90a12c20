/** passThrough behind a Fastify route and nothing else. */
import Fastify from 'fastify';
import { pino } from 'pino';
import { Exchange } from '../../dist/edge/exchange.js';
import { checkRequestHeaders } from '../../dist/edge/header-rules.js';
import { readBody } from '../../dist/http/body.js';
import { passThrough } from '../../dist/passthrough/index.js';
import { HttpUpstream } from '../../dist/upstreams/http.js';

function ignore() {}

const log = pino({ level: 'silent' });
const recorder = { exchangeEnded() {} };
const app = Fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', (_request, _payload, done) => done(null));
for (const name of ['small', 'list', 'big', 'stream']) {
  const url = new URL(`http://127.0.0.1:${process.argv[2]}/${name}/mcp`);
  const timeouts = { connect: 2_000, firstByte: 60_000, idle: 300_000 };
  const upstream = new HttpUpstream({ name, url, headers: new Map(), timeouts });
  app.post(`/${name}/mcp`, (request, reply) => {
    reply.hijack();
    if (checkRequestHeaders(request.raw.rawHeaders) !== undefined) throw new Error('refused');
    const setup = { request: request.raw, response: reply.raw, upstream, requestId: '1', recorder, log, always: {} };
    const exchange = new Exchange(setup);
    const bounds = { limit: 65_536, timeout: 30_000 };
    void readBody(request.raw, bounds).then(
      (body) => passThrough(exchange, { body, kind: 'call', bodyTimeout: 30_000 }),
      ignore,
    );
  });
}
await app.listen({ port: 0, host: '127.0.0.1' });
process.send({ port: app.server.address().port });
