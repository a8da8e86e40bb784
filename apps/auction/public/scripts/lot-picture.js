import { svgElement } from '../inspector-page/kit/element.js'

/** A drawing for each category. The style sheet sets the colours, for both themes. */
const MOTIFS = {
  travel: [
    ['circle', { cx: 118, cy: 30, r: 13, class: 'light' }],
    ['path', { d: 'M0 90 42 38 70 68 96 44 160 90Z', class: 'mid' }],
    ['path', { d: 'M42 38 53 50 43 56 33 49Z', class: 'light' }],
    ['path', { d: 'M0 82Q40 70 80 80T160 76V90H0Z', class: 'dark' }],
  ],
  dining: [
    ['circle', { cx: 80, cy: 46, r: 31, class: 'light' }],
    ['circle', { cx: 80, cy: 46, r: 21, class: 'mid' }],
    ['path', { d: 'M26 20v16q0 8 6 8v28M38 20v16q0 8-6 8M32 20v20', class: 'line' }],
    ['path', { d: 'M128 20q9 12 0 28v24', class: 'line' }],
  ],
  art: [
    ['rect', { x: 42, y: 12, width: 76, height: 66, rx: 2, class: 'dark' }],
    ['rect', { x: 48, y: 18, width: 64, height: 54, class: 'light' }],
    ['circle', { cx: 68, cy: 40, r: 13, class: 'mid' }],
    ['path', { d: 'M48 72Q76 34 112 58V72Z', class: 'dark' }],
  ],
  sport: [
    ['rect', { x: 22, y: 16, width: 116, height: 58, rx: 5, class: 'mid' }],
    ['path', { d: 'M80 16v58M22 32h17v26H22M138 32h-17v26h17', class: 'line' }],
    ['circle', { cx: 80, cy: 45, r: 14, class: 'line' }],
    ['circle', { cx: 80, cy: 45, r: 4, class: 'light' }],
  ],
  experience: [
    ['path', { d: 'M80 12 89 36 114 37 94 53 101 77 80 63 59 77 66 53 46 37 71 36Z', class: 'light' }],
    ['circle', { cx: 30, cy: 26, r: 5, class: 'mid' }],
    ['circle', { cx: 132, cy: 62, r: 7, class: 'mid' }],
    ['path', { d: 'M18 66q10-8 20 0M122 22q8-6 16 0', class: 'line' }],
  ],
}

const OTHER = [
  ['path', { d: 'M80 16 116 45 80 74 44 45Z', class: 'mid' }],
  ['path', { d: 'M80 28 101 45 80 62 59 45Z', class: 'light' }],
]

/** Draws a picture, because the images of the lots are on another origin. */
export function lotPicture(category) {
  const motif = MOTIFS[category]
  return svgElement(
    'svg',
    {
      viewBox: '0 0 160 90',
      class: `picture ${motif ? category : 'other'}`,
      preserveAspectRatio: 'xMidYMid slice',
      'aria-hidden': 'true',
    },
    ...(motif ?? OTHER).map(([name, attributes]) => svgElement(name, attributes)),
  )
}
