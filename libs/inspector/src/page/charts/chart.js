import uPlot from '../uPlot.esm.js'

/** Seconds between the labels of the time axis. */
const STEPS = [1, 2, 3, 5, 10, 15, 20, 30, 60]

/**
 * Creates a line chart of the last seconds that fills its container.
 *
 * @param container the element to draw in; its colours are those of the axes
 * @param seconds the time span
 * @param series for each line, the element that has its colour, and whether the area below is filled
 * @param range returns the range of the axis for the highest value
 * @param formatValue returns the axis label of a value
 * @param marks returns the periods to shade, oldest first, as `{ name, from, to, color }` in seconds relative to now
 */
export function createChart({ container, seconds, series, range, formatValue, marks = () => [] }) {
  const chart = new uPlot(
    {
      ...sizeOf(container),
      legend: { show: false },
      cursor: { show: false },
      padding: [18, 18, 0, 0],
      scales: {
        x: { time: false, range: [-seconds, 0] },
        y: { range: (_chart, _low, high) => range(high ?? 0) },
      },
      axes: [
        {
          ...axisOf(container),
          size: 30,
          // Whole parts of the time, six at most: labels between them say nothing more.
          incrs: STEPS.filter((step) => seconds % step === 0 && seconds / step <= 6),
          values: (_chart, splits) => splits.map((at) => (at === 0 ? 'now' : `${at} s`)),
        },
        { ...axisOf(container), size: 58, values: (_chart, splits) => splits.map(formatValue) },
      ],
      series: [{}, ...series.map(lineOf)],
      hooks: { drawClear: [(self) => shade(self, marks(), seconds)] },
    },
    [[], ...series.map(() => [])],
    container,
  )
  new ResizeObserver(() => chart.setSize(sizeOf(container))).observe(container)
  return {
    /** @param data the times in seconds, then the values of each series */
    show: (data) => chart.setData(data),
    redraw: () => chart.redraw(false),
  }
}

const sizeOf = ({ clientWidth, clientHeight }) => ({ width: clientWidth, height: clientHeight })

const colorOf = (element) => getComputedStyle(element).color

function axisOf(container) {
  const line = { stroke: () => getComputedStyle(container).borderTopColor, width: 1 }
  return {
    stroke: () => colorOf(container),
    font: '12px system-ui, sans-serif',
    grid: line,
    ticks: { ...line, size: 4 },
  }
}

function lineOf({ color, filled = false }) {
  return {
    stroke: () => colorOf(color),
    ...(filled && { fill: () => colorOf(color).replace(/^rgb\((.*)\)$/, 'rgba($1, 0.25)') }),
    width: 2,
    // A line needs two neighbours.
    points: { show: true, filter: (chart, index) => aloneIn(chart.data[index]) },
  }
}

/** Where there are values without a neighbour. */
function aloneIn(values) {
  const isThere = (i) => (values[i] ?? null) !== null
  return [...values.keys()].filter((i) => isThere(i) && !isThere(i - 1) && !isThere(i + 1))
}

function shade({ ctx, bbox, valToPos }, marks, seconds) {
  const x = (second) => valToPos(Math.min(Math.max(second, -seconds), 0), 'x', true)
  const ends = marks.slice(1).map(({ from }) => x(from))
  ctx.save()
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'bottom'
  marks.forEach(({ name, from, to, color }, index) => {
    if (to <= -seconds) return
    ctx.fillStyle = colorOf(color)
    // Draws the name above the lines if it fits before the next one.
    const room = (ends[index] ?? bbox.left + bbox.width) - x(from)
    if (ctx.measureText(name).width < room) ctx.fillText(name, x(from), bbox.top)
    ctx.globalAlpha = 0.14
    ctx.fillRect(x(from), bbox.top, x(to) - x(from), bbox.height)
    ctx.globalAlpha = 1
  })
  ctx.restore()
}
