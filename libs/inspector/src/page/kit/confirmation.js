/** @returns a function that asks before an action, and resolves to whether the reader confirmed it */
export function createConfirmation() {
  const [dialog, title, text, cancel, confirm] = ['', '-title', '-text', '-cancel', '-confirm'].map((part) =>
    document.getElementById(`confirmation${part}`),
  )
  cancel.addEventListener('click', () => dialog.close())
  confirm.addEventListener('click', () => dialog.close('confirmed'))
  return (question) => {
    title.textContent = question.title
    text.textContent = question.text
    confirm.textContent = question.confirm
    dialog.returnValue = ''
    dialog.showModal()
    cancel.focus()
    return new Promise((resolve) => {
      dialog.addEventListener('close', () => resolve(dialog.returnValue === 'confirmed'), { once: true })
    })
  }
}
