import { showComparison } from './comparison.js'
import { formatMs } from './format.js'

const byId = (id) => document.getElementById(id)

/** The buttons that start storms, and what is known of storms: others may start them as well. */
export function connectStorms() {
  const status = byId('storm-status')
  const buttons = [...document.querySelectorAll('[data-design]')]
  /** `{ design, from, to }` in milliseconds since 1970, `to` undefined while it goes on. */
  let periods = []
  let now = 0
  let running = null

  for (const button of buttons) {
    button.addEventListener('click', () => {
      // Not disabled, which would take the focus away from whoever came by keyboard.
      if (button.getAttribute('aria-disabled') !== 'true') void start(button.dataset.design, status)
    })
  }

  return {
    /** The time of the server: charts are drawn against it. */
    tick: (at) => (now = Math.max(now, at)),
    marks: () =>
      periods.map(({ design, from, to }) => ({
        name: design,
        from: (from - now) / 1000,
        to: to === undefined ? 0 : (to - now) / 1000,
        color: buttons.find((button) => button.dataset.design === design).firstElementChild,
      })),
    show({ at, allowed, running: design, last }) {
      if (running && !design) {
        periods.at(-1).to = at
        status.textContent = last[running] ? summary(last[running]) : `The storm of ${running} has failed.`
      }
      if (design && design !== running) {
        periods = [...periods.slice(-9), { design, from: at }]
        status.textContent = `A storm of ${design} is under way …`
      }
      running = design
      if (!allowed) status.textContent = 'Storms are switched off here (STORMS=off).'
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
    const response = await fetch('/storms', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ design }),
    })
    // What a storm has done comes to all who look, with the other news.
    if (!response.ok) status.textContent = (await response.json()).message
  } catch {
    status.textContent = 'The server did not answer. Try again.'
  }
}

function summary({ design, longestBlockMs, worstProbeMs }) {
  return `${design} kept the server from everything else for ${formatMs(longestBlockMs)}; the slowest answer took ${formatMs(worstProbeMs)}.`
}
