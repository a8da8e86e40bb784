import { formatBytes, formatMs } from '../inspector-page/kit/format.js'

const byId = (id) => document.getElementById(id)

/** Shows whether the database is followed. Without PostgreSQL, the card stays hidden. */
export function showFollow({ follow }) {
  byId('follow').hidden = follow === null
  if (follow === null) return
  const { events, lagBytes, lagMs, state, takeovers } = follow
  byId('follow-state').textContent = state === 'following' ? 'followed' : 'not followed'
  const lag = [lagMs === null ? [] : formatMs(lagMs), lagBytes === null ? [] : formatBytes(lagBytes)].flat()
  byId('follow-lag').textContent = lag.join(', ') || '–'
  const kinds = Object.entries(events).map(([kind, count]) => `${count} ${kind}`)
  byId('follow-events').textContent = kinds.join(', ') || 'none'
  byId('follow-takeovers').textContent = String(takeovers)
}
