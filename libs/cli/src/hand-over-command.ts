import { parseArgs } from 'node:util'
import {
  connectNodes,
  DatabaseEntries,
  type ListedProcess,
  listProcesses,
  ValkeyStore,
} from 'model-cache/internal'
import type { Command } from './command.js'
import { answerMs, neededAddress, storeOptions, storeUsage } from './options.js'

export const handOverCommand: Command = {
  usage: `Usage: model-cache hand-over [options]

For a database that has moved. Processes of another database may start in the namespace from now on, while those that run
still read the former one. Neither is served rows of the other. Does so at once, without asking.

${storeUsage}`,

  async run(args, output) {
    const { values } = parseArgs({ args: [...args], options: storeOptions })
    const { json, namespace } = values
    const nodes = await connectNodes(neededAddress(values, output), answerMs)
    const { processes } = await listProcesses(nodes, namespace).finally(() => nodes.close())
    const running = processes.filter(({ isRunning }) => isRunning)
    const databases = [...Map.groupBy(running, ({ entry }) => entry.name)]
    if (running.length > 0) {
      const store = new ValkeyStore({ ...nodes.connection, deadlineMs: answerMs })
      try {
        await store.connect()
        await new DatabaseEntries(store, namespace).handOver()
      } finally {
        await store.close()
      }
    }
    if (json) {
      const listed = databases.map(([name, of]) => ({ name, processes: of.map(placeOf) }))
      output.line(JSON.stringify({ version: 1, namespace, databases: listed }, null, 2))
    } else if (databases.length === 0) output.line(`No process uses the namespace "${namespace}".`)
    else {
      output.line(`The namespace "${namespace}" is open to other databases. Still read in it:`)
      for (const [name, of] of databases) {
        output.line(name)
        for (const process of of) output.line(`  by ${placeOf(process)}`)
      }
    }
    return 0
  },
}

function placeOf({ entry }: ListedProcess): string {
  return `${entry.host}, process ${entry.pid}`
}
