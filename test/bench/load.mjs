/**
 * The load generator: keep-alive connections on bare sockets, each sending its next request when the answer to the
 * last one is complete. One order per message from the parent (`each` has the headers of each connection), one report
 * back.
 */
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

/** The bytes of one request. */
function requestBytes({ port, path, headers, body }) {
  const lines = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'gzip, br',
    'user-agent': 'bench',
    ...headers,
    'content-length': Buffer.byteLength(body),
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${text.join('')}\r\n${body}`);
}

/** Tells when an answer is complete: by Content-Length, or at the end of a chunked body. Throws if it is no 200. */
function answerEnd() {
  let left = -1;
  let tail = '';
  return (data) => {
    let at = 0;
    if (left === -1) {
      const end = data.indexOf('\r\n\r\n');
      if (end === -1) throw new Error('a head in pieces');
      const head = data.toString('latin1', 0, end);
      if (!head.startsWith('HTTP/1.1 200')) throw new Error(data.toString('latin1', 0, 400));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head);
      left = length === null ? Infinity : Number(length[1]);
      at = end + 4;
    }
    left -= data.length - at;
    tail = (tail + data.toString('latin1', Math.max(at, data.length - 7))).slice(-7);
    if (left === 0 || (left === Infinity && tail.endsWith('\r\n0\r\n\r\n'))) {
      left = -1;
      tail = '';
      return true;
    }
    return false;
  };
}

/** Keeps one connection busy until `until`; resolves when its last answer is in. */
function client(port, bytes, until, latencies) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const complete = answerEnd();
    let sent = 0;
    const send = () => {
      sent = performance.now();
      socket.write(bytes);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the proxy closed a connection')));
    socket.on('data', (data) => {
      try {
        if (!complete(data)) return;
      } catch (error) {
        reject(error);
        return;
      }
      const now = performance.now();
      latencies.push(now - sent);
      if (now < until) {
        send();
        return;
      }
      socket.removeAllListeners('close');
      socket.destroy();
      resolve();
    });
  });
}

process.on('message', async (order) => {
  try {
    const latencies = [];
    const began = performance.now();
    const clients = order.each.map((headers) => {
      const bytes = requestBytes({ ...order, headers });
      return client(order.port, bytes, began + order.ms, latencies);
    });
    await Promise.all(clients);
    latencies.sort((a, b) => a - b);
    const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
    const seconds = (performance.now() - began) / 1000;
    process.send({ requests: latencies.length, seconds, p50: at(0.5), p99: at(0.99) });
  } catch (error) {
    process.send({ error: String(error) });
  }
});
process.send({ ready: true });
