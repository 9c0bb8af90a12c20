export function pairOf(): never { throw new Error('x'); }
