/** An error's reason in words, without a URL, which may carry a password. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return message || code || String(error)
}
