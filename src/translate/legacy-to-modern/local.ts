/** What the modern era has no message for: settled here, and the upstream hears nothing of it. */
import { refuse, RefusalError } from '../../errors.js';
import type { TranslatedSession } from '../../sessions/session.js';
import { memberAt, rawText } from '../../wire/json.js';
import { idKey, paramString, type Notification, type Request } from '../../wire/jsonrpc.js';

/** The levels of RFC 5424, as 2025-11-25 server/utilities/logging names them. */
const levels: ReadonlySet<string> = new Set([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);

/** The level that `logging/setLevel` asks for, as raw JSON. Throws a RefusalError (`params-invalid`). */
export function readLevel(request: Request): string {
  const level = paramString(request, 'level');
  if (level !== undefined && levels.has(level)) return JSON.stringify(level);
  throw new RefusalError(refuse('params-invalid', { detail: `level must be one of ${[...levels].join(', ')}` }));
}

/**
 * Acts on a notification: `notifications/cancelled` ends that call of this session (2025-11-25,
 * basic/utilities/cancellation); one that is not under way is ignored, and so is every other notification.
 */
export function takeNotification(session: TranslatedSession, { bytes, method, params }: Notification): void {
  if (method !== 'notifications/cancelled' || params === undefined) return;
  const id = memberAt(bytes, params, ['requestId'])?.value;
  if (id !== undefined) session.inflight.get(idKey(rawText(bytes, id)))?.end('cancelled');
}
