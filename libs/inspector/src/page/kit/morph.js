/**
 * Makes the children of an element equal to others, and keeps the nodes that fit: so focus, selection and opened details survive an
 * update. Children with the same `data-key` fit each other wherever they are; others by their place.
 */
export function morph(parent, ...children) {
  const wanted = children.flat().map((child) => (typeof child === 'string' ? new Text(child) : child))
  const keyed = new Map([...parent.children].filter(keyOf).map((child) => [keyOf(child), child]))
  let place = parent.firstChild
  for (const child of wanted) {
    const found = keyOf(child) ? keyed.get(keyOf(child)) : place
    if (found && fits(found, child)) {
      if (found === place) place = place.nextSibling
      else parent.insertBefore(found, place)
      update(found, child)
    } else {
      parent.insertBefore(child, place)
    }
  }
  while (place) {
    const next = place.nextSibling
    place.remove()
    place = next
  }
}

const keyOf = (node) => node.dataset?.key

const fits = (old, wanted) => old.nodeName === wanted.nodeName && keyOf(old) === keyOf(wanted)

function update(old, wanted) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== wanted.data) old.data = wanted.data
    return
  }
  for (const name of old.getAttributeNames()) {
    // Whether details are open is up to the reader.
    if (name !== 'open' && !wanted.hasAttribute(name)) old.removeAttribute(name)
  }
  for (const { name, value } of wanted.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  }
  morph(old, ...wanted.childNodes)
}
