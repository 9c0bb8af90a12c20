/** The longest text of another party in a sentence of ours, in characters. */
const longest = 100;

/** Another party's text for a sentence of ours: quoted, and bounded. */
export function quote(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
}
