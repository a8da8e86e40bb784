// Scripts of a page are texts: the compiler of the tests knows no DOM.

/** Whether a line crosses a canvas at a part of its width: a pixel with a colour, which the grid does not have. */
export const hasLineAt = (selector: string, part: number): string => `(() => {
  const canvas = document.querySelector('${selector}')
  const { data } = canvas.getContext('2d').getImageData(Math.round(canvas.width * ${part}), 0, 1, canvas.height)
  for (let i = 0; i < data.length; i += 4) {
    const color = data.slice(i, i + 3)
    if (data[i + 3] > 128 && Math.max(...color) - Math.min(...color) > 60) return true
  }
  return false
})()`

/** Runs before the page. Records the texts that are drawn on canvases. */
export const recordTexts = `
  globalThis.drawnTexts = []
  const { fillText } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    drawnTexts.push(text)
    return fillText.call(this, text, ...place)
  }`

/** The texts that {@link recordTexts} has recorded. */
export const drawnTexts = 'drawnTexts'
