/** A command was called in a way that cannot work; the message says what to do. */
export class UsageError extends Error {}
