/** Where the keyboard goes on when the thing it was at is gone. */

export const LOG_ID = "log";
export const MESSAGE_ID = "message";

export function focusLog(): void {
  document.getElementById(LOG_ID)?.focus({ preventScroll: true });
}

export function focusMessage(): void {
  document.getElementById(MESSAGE_ID)?.focus();
}
