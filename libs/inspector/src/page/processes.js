/**
 * Returns how the page names each process, by their ids: by its host, with its pid if the host has others, and with its id if the pid
 * has others.
 */
export function processNames(processes) {
  const isShared = (process, ...keys) =>
    processes.some((other) => other.id !== process.id && keys.every((key) => other[key] === process[key]))
  return new Map(
    processes.map((process) => {
      const { host, id, pid } = process
      if (!isShared(process, 'host')) return [id, host]
      return [id, isShared(process, 'host', 'pid') ? `${host} (pid ${pid}, ${id})` : `${host} (pid ${pid})`]
    }),
  )
}

export const isSameCache = (one, other) => one.name === other.name && one.root === other.root

/** Returns how the page names a cache: with its root unless that has no name. */
export const cacheName = ({ name, root }) => (root === null ? name : `${root}: ${name}`)
