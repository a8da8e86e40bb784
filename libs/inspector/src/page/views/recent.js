import { ApiError, findRecent } from '../api.js'
import { element } from '../kit/element.js'
import { formatRelative } from '../kit/format.js'
import { morph } from '../kit/morph.js'
import { isSameCache } from '../processes.js'
import { entryHref, rowHref } from '../routes.js'
import { link } from './parts.js'

/** How many ids are shown. */
const MAX_IDS = 5
/** How old what is shown may be. */
const FRESH_MS = 10_000

/** Links to rows, or entries of a lookup, that processes have just read from the database or written: ids to start from. */
export function createRecent() {
  const list = element('p', { class: 'hint recent' })
  let shown
  const draw = () => {
    const { at, cache, ids, lookup } = shown
    const own = ids.filter((recent) => recent.lookup === lookup).slice(0, MAX_IDS)
    morph(
      list,
      own.length === 0 ? [] : ['Recent: ', ...own.flatMap((recent, i) => linkOf(cache, recent, at, i))],
    )
  }
  const load = async (cache, lookup) => {
    const isSame = shown && isSameCache(shown.cache, cache)
    shown = { cache, lookup, at: shown?.at, ids: isSame ? shown.ids : [], askedAtMs: Date.now() }
    draw()
    try {
      const { at, ids } = await findRecent(cache)
      if (!isSameCache(shown.cache, cache)) return
      shown = { ...shown, at, ids }
      draw()
    } catch (error) {
      // The page says so itself if the application does not answer.
      if (!(error instanceof ApiError)) throw error
    }
  }
  return {
    element: list,
    /** @param lookup its name, or null for rows */
    show(cache, lookup) {
      const isShown = shown && isSameCache(shown.cache, cache)
      if (!isShown || Date.now() - shown.askedAtMs >= FRESH_MS) return void load(cache, lookup)
      if (shown.lookup === lookup) return
      shown = { ...shown, lookup }
      draw()
    },
  }
}

function linkOf(cache, { at, id, lookup, what }, now, i) {
  const href = lookup === null ? rowHref(cache, id) : entryHref(cache, lookup, id)
  const how = what === 'written' ? 'written' : 'read from the database'
  const anchor = link(href, id)
  anchor.title = `${how} ${formatRelative(at, now)}`
  return [...(i > 0 ? [' · '] : []), anchor]
}
