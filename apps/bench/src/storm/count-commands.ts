/** What this bench itself sends while it measures. */
const OWN = new Set(['info', 'dbsize'])

/** How many commands a server has run, by its answer to `INFO commandstats`, those of this bench left out. */
export function countCommands(commandStats: string): number {
  let count = 0
  for (const [, command, calls] of commandStats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    if (!OWN.has(command!)) count += Number(calls)
  }
  return count
}
