/* The simulator, which is linked with the firmware as one object. */
int run_firmware(void);

int main(void)
{
    return run_firmware();
}
