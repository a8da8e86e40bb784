import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Chapter } from '../chapter.ts'
import type { Chart, Section, Table } from '../../harness/section.ts'

const UPLOT = dirname(createRequire(import.meta.url).resolve('uplot/dist/uPlot.esm.js'))
const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8')

/** All chapters as one self-contained page, with styles, charting library and figures. */
export function renderPage(chapters: readonly Chapter[]): string {
  const here = import.meta.dirname
  const [found, missing] = [chapters.filter((one) => one.found), chapters.filter((one) => !one.found)]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>What model-cache measures</title>
<style>${read(UPLOT, 'uPlot.min.css')}${read(here, 'page.css')}</style>
</head>
<body>
<header>
<h1>What model-cache measures</h1>
<p>Each chapter is one suite: <code>npm run bench -- SUITE</code> measures it again, <code>npm run bench -- report</code> writes this page.
A number is a median unless it says otherwise; ± is half the distance between the quartiles. A difference below a chapter's noise floor means nothing.</p>
</header>
<nav aria-label="Contents"><ol>${found.map(({ name, question }) => `<li><a href="#${name}">${name}</a> <span>${escapeHtml(question)}</span></li>`).join('')}</ol></nav>
<main>
${found.map(chapter).join('\n')}
${missing.length > 0 ? missingSuites(missing) : ''}
</main>
<script>${script(read(UPLOT, 'uPlot.iife.min.js'))}</script>
<script>${script(read(here, 'charts.js'))}</script>
</body>
</html>
`
}

function chapter({ name, question, found }: Chapter): string {
  return `<section id="${name}">
<h2>${name}</h2>
<p class="question">${escapeHtml(question)}</p>
${found!.conclusion ? `<p><strong>${escapeHtml(found!.conclusion)}</strong></p>` : ''}
<details><summary>Machine, versions and noise</summary>${found!.header.map(paragraph).join('')}</details>
${found!.sections.map(section).join('\n')}
</section>`
}

function section({ title, text = [], table, chart }: Section): string {
  return `<article>
<h3>${escapeHtml(title)}</h3>
${text.map(paragraph).join('\n')}
${chart ? figure(title, chart) : ''}
${table ? `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(title)}, as a table">${tableOf(table)}</div>` : ''}
</article>`
}

/** charts.js draws the chart from the JSON. */
function figure(title: string, chart: Chart): string {
  const legend = chart.series.map(
    ({ name }, i) =>
      `<li><i style="color: var(--series-${(i % SERIES_COLORS) + 1})"></i>${escapeHtml(name)}</li>`,
  )
  return `<figure>
<figcaption><span>${escapeHtml(chart.y)}${chart.x ? ` by ${escapeHtml(chart.x)}` : ''}${chart.scale === 'log' ? ', logarithmic' : ''}</span><ul>${legend.join('')}</ul></figcaption>
<div class="chart" role="img" aria-label="${escapeHtml(title)}: the table below has the same figures"></div>
<script type="application/json">${JSON.stringify(chart).replaceAll('<', '\\u003C')}</script>
</figure>`
}

/** As many as page.css has. */
const SERIES_COLORS = 8

function tableOf({ head, rows }: Table): string {
  const cells = ([first = '', ...others]: readonly string[], tag: 'th' | 'td'): string =>
    `<th scope="${tag === 'th' ? 'col' : 'row'}"><div>${escapeHtml(first)}</div></th>` +
    others.map((cell) => `<${tag}${tag === 'th' ? ' scope="col"' : ''}>${escapeHtml(cell)}</${tag}>`).join('')
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`)
  return `<table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${body.join('')}</tbody></table>`
}

function missingSuites(chapters: readonly Chapter[]): string {
  const items = chapters.map(
    ({ name, question }) =>
      `<li>${escapeHtml(question)} <code>npm run bench -- ${name}</code> measures it.</li>`,
  )
  return `<section id="missing"><h2>Not measured yet</h2><ul>${items.join('')}</ul></section>`
}

/** Nothing in a script may end it. */
const script = (text: string): string => text.replace(/<(?=\/script|!--)/gi, '\\x3C')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character]!)

/** A sentence, with links for its URLs. */
export function paragraph(text: string): string {
  const parts = text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:)])/)
  const link = (url: string): string => `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`
  return `<p>${parts.map((part, i) => (i % 2 ? link(part) : escapeHtml(part))).join('')}</p>`
}
