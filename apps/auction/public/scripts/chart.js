import uPlot from '../vendor/uPlot.esm.js'

/**
 * A line chart of the last seconds, as wide as its place.
 *
 * @param place the element that it is drawn in; its colours are those of the axes
 * @param seconds how far back it goes
 * @param series for each line the element whose colour it has, and whether it is filled
 * @param range from the highest value to the range of the axis
 * @param text of a value of the axis
 * @param marks periods to be shaded, oldest first, as `{ name, from, to, color }` in seconds before now
 */
export function createChart({ place, seconds, series, range, text, marks = () => [] }) {
  const chart = new uPlot(
    {
      ...sizeOf(place),
      legend: { show: false },
      cursor: { show: false },
      padding: [18, 18, 0, 0],
      scales: {
        x: { time: false, range: [-seconds, 0] },
        y: { range: (_chart, _low, high) => range(high ?? 0) },
      },
      axes: [
        {
          ...axisOf(place),
          size: 30,
          values: (_chart, splits) => splits.map((at) => (at === 0 ? 'now' : `${at} s`)),
        },
        { ...axisOf(place), size: 58, values: (_chart, splits) => splits.map(text) },
      ],
      series: [{}, ...series.map(lineOf)],
      hooks: { drawClear: [(self) => shade(self, marks(), seconds)] },
    },
    [[], ...series.map(() => [])],
    place,
  )
  new ResizeObserver(() => chart.setSize(sizeOf(place))).observe(place)
  return {
    /** @param data the seconds, then the values of each series */
    show: (data) => chart.setData(data),
    redraw: () => chart.redraw(false),
  }
}

const sizeOf = ({ clientWidth, clientHeight }) => ({ width: clientWidth, height: clientHeight })

const colorOf = (element) => getComputedStyle(element).color

function axisOf(place) {
  const line = { stroke: () => getComputedStyle(place).borderTopColor, width: 1 }
  return {
    stroke: () => colorOf(place),
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
    spanGaps: true,
    points: { show: false },
  }
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
    // Above the lines, as far as the next name leaves room for it.
    const room = (ends[index] ?? bbox.left + bbox.width) - x(from)
    if (ctx.measureText(name).width < room) ctx.fillText(name, x(from), bbox.top)
    ctx.globalAlpha = 0.14
    ctx.fillRect(x(from), bbox.top, x(to) - x(from), bbox.height)
    ctx.globalAlpha = 1
  })
  ctx.restore()
}
