/** Creates an element. Boolean attributes are present if `true`; children are nodes, texts, or lists of them. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children)
}

export function svgElement(name, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'boolean') node.toggleAttribute(name, value)
    else node.setAttribute(name, value)
  }
  node.append(...children.flat())
  return node
}
