import { showComparison } from './comparison.js'
import { formatMs } from '../inspector-page/kit/format.js'

const byId = (id) => document.getElementById(id)

/** Connects the buttons that start bursts, and shows all bursts, including those of other visitors. */
export function connectBursts() {
  const status = byId('burst-status')
  const buttons = [...document.querySelectorAll('[data-design]')]
  /** `{ design, from, to }` in milliseconds since 1970. `to` is `undefined` during the burst. */
  let periods = []
  let now = 0
  let running = null

  for (const button of buttons) {
    button.addEventListener('click', () => {
      // `aria-disabled` instead of `disabled`, which would drop the keyboard focus.
      if (button.getAttribute('aria-disabled') !== 'true') void start(button.dataset.design, status)
    })
  }

  return {
    /** Sets the server time, to which the charts are relative. */
    tick: (at) => (now = Math.max(now, at)),
    marks: () =>
      periods.map(({ design, from, to }) => ({
        name: design,
        from: (from - now) / 1000,
        to: to === undefined ? 0 : (to - now) / 1000,
        color: buttons.find((button) => button.dataset.design === design).firstElementChild,
      })),
    /** Takes over the periods of bursts that have ended before the page was loaded. */
    fill(ended) {
      periods = [...ended.filter(({ from }) => periods.every((known) => known.from !== from)), ...periods]
    },
    show({ at, allowed, running: design, last }) {
      if (running && !design) {
        periods.at(-1).to = at
        status.textContent = last[running] ? summary(last[running]) : `The ${running} burst failed.`
      }
      if (design && design !== running) {
        periods = [...periods.slice(-9), { design, from: at }]
        status.textContent = `The ${design} burst is running …`
      }
      running = design
      if (!allowed) status.textContent = 'Bursts are disabled (BURSTS=off).'
      for (const button of buttons) {
        button.setAttribute('aria-disabled', String(!allowed || design !== null))
        button.dataset.running = String(button.dataset.design === design)
      }
      showComparison(last)
    },
  }
}

async function start(design, status) {
  try {
    const response = await fetch('/bursts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ design }),
    })
    // The result arrives as an event of /live.
    if (!response.ok) status.textContent = (await response.json()).message
  } catch {
    status.textContent = 'The server did not respond. Try again.'
  }
}

function summary({ design, longestBlockMs, worstProbeMs }) {
  return `${design} blocked the server for up to ${formatMs(longestBlockMs)}. The slowest response of /livez took ${formatMs(worstProbeMs)}.`
}
