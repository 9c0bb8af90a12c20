/** The upstream of the benchmark: fixed bytes on bare sockets, so that it is never what is measured. */
import { setImmediate } from 'node:timers';
import { createServer } from 'node:net';
import { discovered, workloads } from './workloads.mjs';

/** Tells requests apart on one connection; they come one after the other. */
function reader(onRequest) {
  let pending = '';
  return (data) => {
    pending += data.toString('latin1');
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = pending.slice(0, end);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head);
      const chunked = length === null && /\r\ntransfer-encoding: *chunked/i.test(head);
      const last = chunked ? pending.indexOf('\r\n0\r\n\r\n', end) + 7 : end + 4 + Number(length?.[1] ?? 0);
      if (chunked ? last === 6 : pending.length < last) return;
      const id = /"id":("[^"]*"|\d+)/.exec(pending.slice(end, last))?.[1];
      pending = pending.slice(last);
      onRequest(/^\w+ \/(\w+)/.exec(head)?.[1], /\r\nmcp-method: *server\/discover/i.test(head) ? id : undefined);
    }
  };
}

function play(socket, packets, index) {
  socket.write(packets[index]);
  if (index + 1 < packets.length) setImmediate(play, socket, packets, index + 1);
}

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined);
  const answer = (name, asked) => play(socket, asked ? [discovered(asked)] : workloads[name].packets, 0);
  socket.on('data', reader(answer));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
