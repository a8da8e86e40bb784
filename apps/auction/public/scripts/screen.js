/**
 * Watches which elements are on the screen, or up to one screen away.
 *
 * @param values the value of each element
 */
export function watchScreen(values) {
  const visible = new Set()
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) visible.add(target)
        else visible.delete(target)
      }
    },
    { rootMargin: '100% 0%' },
  )
  for (const element of values.keys()) observer.observe(element)
  return {
    /** Values of the elements on the screen, in their order. */
    visible: () => [...values].filter(([element]) => visible.has(element)).map(([, value]) => value),
    close: () => observer.disconnect(),
  }
}
