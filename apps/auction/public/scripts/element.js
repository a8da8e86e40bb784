/** An element with attributes and children; an attribute that is a boolean is there or not. */
export function element(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children)
}

export function svgElement(name, attributes = {}, ...children) {
  return furnish(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)
}

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'boolean') node.toggleAttribute(name, value)
    else node.setAttribute(name, value)
  }
  node.append(...children)
  return node
}
