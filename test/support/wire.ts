/** Carries messages between the objects of one process, at once. */
export class Wire {
  readonly listeners = new Map<string, Set<(message: string) => void>>()

  async publish(channel: string, message: string): Promise<void> {
    for (const listener of this.listeners.get(channel) ?? []) listener(message)
  }

  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    this.listeners.set(channel, (this.listeners.get(channel) ?? new Set()).add(listener))
  }

  async unsubscribe(channel: string): Promise<void> {
    this.listeners.delete(channel)
  }
}
