/** Prints the ready line, and stops the program on SIGTERM. */
export function printReadyLine(
  status: { readonly url: string; readonly api_key?: string },
  close: () => unknown,
) {
  process.once('SIGTERM', async () => {
    await close();
    process.exit();
  });
  console.log(JSON.stringify(status));
}
