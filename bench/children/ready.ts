/** Says that requests are answered, and ends the program when it is told to. */
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
