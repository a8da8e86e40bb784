import type { Fault } from './fault.ts'

export const serverFaults: readonly Fault[] = [
  {
    kind: 'serverRestart',
    losesKeys: true,
    befall: ({ server, random }) => server.restart(random.integer(0, 600)),
  },
  { kind: 'serverStop', befall: ({ server, random }) => server.pause(random.integer(100, 1_200)) },
  { kind: 'flush', losesKeys: true, befall: ({ server }) => server.flush() },
  {
    kind: 'eviction',
    losesKeys: true,
    befall: ({ server, random }) => server.squeeze(random.integer(1_000, 60_000), random.integer(500, 2_000)),
  },
  // As an eviction would. It fails closed, so it is no loss that excuses anything.
  { kind: 'catalogueHash', befall: ({ server }) => server.delete('mc:{catalogue}') },
  { kind: 'catalogueWord', befall: ({ server }) => server.delete('mc:{catalogue}:word') },
]
