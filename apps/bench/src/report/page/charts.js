/** Draws the charts of the report: each figure has one as JSON. Colours are those of page.css, and change with the theme. */
const FONT = '12px system-ui, sans-serif'
const BAR_HEIGHT = 15

function fill(figure) {
  const chart = JSON.parse(figure.querySelector('script').textContent)
  const place = figure.querySelector('.chart')
  const draw = () => {
    const plot = chart.kind === 'bar' ? drawBars(place, chart) : drawLines(place, chart)
    // For who wants to know whether there is anything to be seen: the bars or points that were drawn.
    figure.dataset.marks = chart.series.flatMap(({ values }) =>
      values.filter((value) => isDrawn(chart, value)),
    ).length
    return plot
  }
  let plot = draw()
  const redraw = () => {
    plot.destroy()
    plot = draw()
  }
  let width = place.clientWidth
  new ResizeObserver(() => {
    if (place.clientWidth === width) return
    width = place.clientWidth
    redraw()
  }).observe(place)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
}

/** Bars that lie, one below the other, with a gap after each category; each has a slot of its own on the scale. */
function drawBars(place, { categories, series, scale }) {
  const groupSize = series.length + 1
  const slots = categories.length * groupSize
  const values = series.flatMap(({ values: own }) => own.filter((value) => isDrawn({ scale }, value)))
  const namesWidth = Math.min(
    place.clientWidth * 0.42,
    14 + Math.max(...categories.map((name) => widthOf(String(name)))),
  )
  const data = series.map(({ values: own }, index) => {
    const slotted = Array.from({ length: slots }, () => null)
    own.forEach((value, category) => {
      if (isDrawn({ scale }, value)) slotted[category * groupSize + index] = value
    })
    return slotted
  })
  const centers = categories.map((_, category) => category * groupSize + (series.length - 1) / 2)
  return new uPlot(
    {
      width: place.clientWidth,
      height: slots * BAR_HEIGHT + 50,
      legend: { show: false },
      cursor: { show: false },
      padding: [4, 48, 0, 0],
      scales: {
        x: { time: false, ori: 1, dir: -1, range: [-1, slots - 1] },
        y: { ori: 0, dir: 1, range: rangeOf(values, scale), distr: scale === 'log' ? 3 : 1 },
      },
      axes: [
        {
          ...axis(place),
          side: 3,
          size: namesWidth,
          grid: { show: false },
          ticks: { show: false },
          splits: () => centers,
          values: () => categories.map((name) => shortened(String(name), namesWidth - 12)),
        },
        { ...axis(place), side: 2, size: 34, space: 60, values: (_plot, splits) => splits.map(tick) },
      ],
      series: [
        {},
        ...series.map((_, index) => ({
          fill: colorOf(place, index),
          width: 0,
          points: { show: false },
          paths: uPlot.paths.bars({ size: [0.86], align: 0, each: label(place) }),
        })),
      ],
    },
    [Array.from({ length: slots }, (_, slot) => slot), ...data],
    place,
  )
}

/** Writes a bar's value behind its end. */
function label(place) {
  return (plot, series, index, left, top, width, height) => {
    const text = number(plot.data[series][index])
    // The bars themselves are painted after this.
    queueMicrotask(() => {
      const { ctx } = plot
      ctx.save()
      ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`
      ctx.fillStyle = getComputedStyle(place).color
      ctx.textAlign = 'left'
      ctx.textBaseline = 'middle'
      ctx.fillText(text, left + width + 5 * devicePixelRatio, top + height / 2)
      ctx.restore()
    })
  }
}

function drawLines(place, { categories, series, scale, x }) {
  const distr = scale === 'log' ? 3 : 1
  const values = series.flatMap(({ values: own }) => own.filter((value) => isDrawn({ scale }, value)))
  return new uPlot(
    {
      width: place.clientWidth,
      height: 320,
      legend: { show: false },
      cursor: { show: false },
      padding: [10, 20, 0, 0],
      scales: { x: { time: false, distr }, y: { distr, range: rangeOf(values, scale) } },
      axes: [
        {
          ...axis(place),
          size: 50,
          label: x ?? '',
          labelFont: FONT,
          labelSize: 18,
          values: (_plot, splits) => splits.map(tick),
        },
        { ...axis(place), size: 62, values: (_plot, splits) => splits.map(tick) },
      ],
      series: [
        {},
        ...series.map((_, index) => ({
          stroke: colorOf(place, index),
          width: 2,
          spanGaps: true,
          points: { show: categories.length < 60, size: 7, fill: colorOf(place, index) },
        })),
      ],
    },
    [
      categories.map(Number),
      ...series.map(({ values: own }) => own.map((value) => (isDrawn({ scale }, value) ? value : null))),
    ],
    place,
  )
}

/** Nothing is drawn of what was not measured, and a logarithm has no place for zero. */
const isDrawn = ({ scale }, value) => value !== null && (scale !== 'log' || value > 0)

/** From zero on, or, of logarithms, from the power of ten below the lowest value. */
function rangeOf(values, scale) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (values.length === 0) return [1, 10]
  if (scale === 'log') return [10 ** Math.floor(Math.log10(low * 0.8)), high * 1.15]
  return [Math.min(0, low), Math.max(high, 0) * 1.05 || 1]
}

function axis(place) {
  const style = getComputedStyle(place)
  const line = { stroke: style.borderTopColor, width: 1 }
  return { stroke: style.color, font: FONT, grid: line, ticks: { ...line, size: 4 } }
}

/** That of the legend, which the style sheet gives for the theme. */
function colorOf(place, index) {
  return getComputedStyle(place.closest('figure').querySelectorAll('figcaption i')[index]).color
}

const measuring = document.createElement('canvas').getContext('2d')
measuring.font = FONT

const widthOf = (text) => measuring.measureText(text).width

function shortened(text, width) {
  if (widthOf(text) <= width) return text
  let end = text.length
  while (end > 1 && widthOf(`${text.slice(0, end)}…`) > width) end--
  return `${text.slice(0, end)}…`
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const number = (value) =>
  Math.abs(value) < 10_000
    ? value.toLocaleString('en', { maximumSignificantDigits: 3 })
    : compact.format(value)
const tick = (value) => (value === null ? '' : compact.format(value))

for (const figure of document.querySelectorAll('figure')) fill(figure)
