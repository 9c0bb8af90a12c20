/** Bare @fastify/http-proxy, as its README starts it. */
import Fastify from 'fastify';
import proxy from '@fastify/http-proxy';

const app = Fastify();
await app.register(proxy, { upstream: `http://127.0.0.1:${process.argv[2]}` });
await app.listen({ port: 0, host: '127.0.0.1' });
process.send({ port: app.server.address().port });
