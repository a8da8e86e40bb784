import { formatBytes, formatMs } from './format.js'

const byId = (id) => document.getElementById(id)

/** Shows whether the database is followed. Without PostgreSQL, the card stays hidden. */
export function showFollow({ follow }) {
  byId('follow').hidden = follow === null
  if (follow === null) return
  const { events, isConnected, lagBytes, lagSeconds, takeovers } = follow
  byId('follow-state').textContent = isConnected ? 'followed' : 'not followed'
  const lag = [
    lagSeconds === undefined ? [] : formatMs(lagSeconds * 1000),
    lagBytes === undefined ? [] : formatBytes(lagBytes),
  ].flat()
  byId('follow-lag').textContent = lag.join(', ') || '–'
  const kinds = Object.entries(events).map(([kind, count]) => `${count} ${kind}`)
  byId('follow-events').textContent = kinds.join(', ') || 'none'
  byId('follow-takeovers').textContent = String(takeovers)
}
