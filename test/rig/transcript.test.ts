/** The runner itself: what it must notice. The gateway here is a plain relay, so that each difference is known. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { Captures } from './transcript-match.js';
import { playStory, type Played, type StartGateway } from './transcript-play.js';
import { updatedStory } from './transcript-update.js';
import { parseStory } from './transcript.js';

const relay: StartGateway = async (upstream) => {
  const server = createServer((incoming: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = incoming;
    const onward = request(new URL(url ?? '/', upstream), { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.flushHeaders();
      answer.on('error', () => response.destroy()).pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), close };
};

const head = '# A relay\n\n';
const asked = 'C> POST /mcp HTTP/1.1\nC> A: 1\nC>\nC> {"id":9007199254740993}\n\n';
const sent = 'G> POST /mcp HTTP/1.1\nG> a: {{a}}\nG>\nG> {"id":{{id}}}\n\n';
const answered = 'U< HTTP/1.1 200 OK\nU< B: {{a}}\nU<\nU< {"id":{{id}}}\n\n';
const passedOn = 'G< HTTP/1.1 200 OK\nG< b: 1\nG<\nG< {"id":9007199254740993}\n';

const play = (text: string): Promise<Played> => playStory(parseStory(text), relay);
const differences = ({ compared }: Played): string[] =>
  compared.filter((one) => one.wanted !== one.found).map((one) => one.found);

void t.test('a story that holds', async (t) => {
  const played = await play(head + asked + sent + answered + passedOn);
  t.strictSame(differences(played), []);
  t.strictSame(played.problems, []);
  t.equal(played.compared.length, 2);
});

void t.test('a body that differs in one byte, a header too few, a header too many', async (t) => {
  const other = await play(head + asked + sent + answered + passedOn.replace('993}', '992}'));
  t.strictSame(differences(other), ['HTTP/1.1 200 OK\nb: 1\n\n{"id":{{id}}}']);
  const fewer = await play(head + asked + sent + answered + passedOn.replace('G< b: 1\n', ''));
  t.strictSame(differences(fewer), ['HTTP/1.1 200 OK\nb: 1\n\n{"id":9007199254740993}']);
  const more = await play(head + asked + sent + answered + passedOn.replace('b: 1', 'b: 1\nG< c: 1'));
  t.strictSame(differences(more), ['HTTP/1.1 200 OK\nb: 1\n\n{"id":9007199254740993}']);
});

void t.test('a capture must be equal afterwards', async (t) => {
  const again = asked.replace('A: 1', 'A: 2') + sent;
  const played = await play(head + asked + sent + answered + passedOn + again + answered + passedOn);
  t.strictSame(differences(played), ['POST /mcp HTTP/1.1\na: 2\n\n{"id":{{id}}}']);
});

void t.test('what the story does not have', async (t) => {
  t.match((await play(head + asked)).problems, [/^the gateway sent, unasked: POST \/mcp \{"id"/]);
  t.match((await play(head + asked + sent + answered)).problems, [/^G< came unasked: HTTP\/1.1 200 \{"id"/]);
});

void t.test('what does not come is missed in bounded time', async (t) => {
  t.match((await play(head + asked + sent + passedOn)).problems, [
    /^line 13 \(G<\): within \d+ ms there was no answer/,
  ]);
});

const opening = head + asked + sent + 'U< HTTP/1.1 200 OK\nU< Content-Type: text/event-stream\n\n';
const opened = 'G< HTTP/1.1 200 OK\nG< content-type: text/event-stream\n\n';
const one = 'U< data: 1␍\nU< ␍\n\nG< data: 1␍\nG< ␍\n\n';

void t.test('a stream: head, events one by one, its end', async (t) => {
  const played = await play(opening + opened + one + one + 'U< [end]\n\nG< [end]\n');
  t.strictSame([differences(played), played.problems], [[], []]);
  const broken = await play(opening + opened + one + 'U< [reset]\n\nG< [end]\n');
  t.strictSame(differences(broken), ['[broken]']);
  const left = await play(opening + opened + 'C> [abort]\n\nG> [abort]\n');
  t.strictSame([differences(left), left.problems], [[], []]);
});

void t.test('an event that came before the story has it', async (t) => {
  const played = await play(
    opening + opened + 'U< data: 1\nU<\nU< data: 2\nU<\n\nG< data: 1\nG<\n\n' + 'U< [end]\n\nG< [end]\n',
  );
  t.match(played.problems, [/G< came unasked: data: 2/]);
});

void t.test('an update rewrites what the gateway says, and nothing else', async (t) => {
  const text = head + asked + sent + answered + passedOn.replace('993}', '992}') + '\n# the end\n';
  const { compared } = await play(text);
  t.equal(updatedStory(text, compared), text.replace('G< {"id":9007199254740992}', 'G< {"id":{{id}}}'));
});

void t.test('what is not a story', (t) => {
  t.throws(() => parseStory('C> POST / HTTP/1.1\n'), /a story begins with a comment/);
  t.throws(() => parseStory(`${head}X> hello\n`), { message: 'line 3: not a lane: X> hello' });
  t.throws(() => parseStory(`${head}C< hello\n`), { message: 'line 3: no such lane: C<' });
  t.throws(() => parseStory(`${head}C> POST / HTTP/1.1\nC> nonsense\n`), { message: 'line 4: not a header: nonsense' });
  t.throws(() => parseStory(`${head}---\nspeed: 3\n---\n`), { message: 'front matter: unknown speed' });
  t.throws(() => parseStory(`${head}U< POST / HTTP/1.1\n`), /does not belong on U</);
  t.throws(() => new Captures().fill('{{nobody}}'), /no value yet/);
  t.end();
});
