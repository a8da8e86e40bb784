/** How long a command waits for each answer of the store, in milliseconds. */
export const patienceMs = 5_000
