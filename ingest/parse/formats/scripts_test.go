package formats

import (
	"testing"
)

var scriptShapes = []shape{
	{"RSpec 2", "Failures:\n\n  1) Foo is bar\n     Failure/Error: foo.should == 1\n       expected: 1\n" +
		"            got: 2 (using ==)\n     # ./spec/foo_spec.rb:8:in `block (2 levels) in <top (required)>'\n\n" +
		"Finished in 0.1 seconds\n1 example, 1 failure\n\nFailed examples:\n\n" +
		"rspec ./spec/foo_spec.rb:7 # Foo is bar\n", []string{
		"error rspec spec/foo_spec.rb:8:0 [] <Foo is bar> expected: 1\ngot: 2 (using ==)"}},
	{"RSpec without details", "..F\n\nrspec './spec/foo_spec.rb[1:2]' # Foo is bar\n", []string{
		"error rspec spec/foo_spec.rb:0:0 [] <Foo is bar> example failed"}},
	{"Ruby 1.8's Test::Unit", "  1) Failure:\ntest_div(TestCalc)\n    [./test/test_calc.rb:5:in `test_div'\n" +
		"     /usr/lib/ruby/1.8/test/unit.rb:1:in `run']:\n<3> expected but was\n<2>.\n\n" +
		"2 tests, 2 assertions, 1 failures, 0 errors\n", []string{
		"error minitest test/test_calc.rb:5:0 [] <TestCalc#test_div> <3> expected but was\n<2>."}},
	{"minitest 4", "  1) Failure:\ntest_div(TestCalc) [test/test_calc.rb:5]:\nExpected: 3\n  Actual: 2\n\n", []string{
		"error minitest test/test_calc.rb:5:0 [] <TestCalc#test_div> Expected: 3\nActual: 2"}},
	{"rails test", "F\n\nFailure:\nUserTest#test_name [test/models/user_test.rb:5]:\nExpected: 1\n  Actual: 2\n\n\n" +
		"rails test test/models/user_test.rb:4\n\nE\n\nError:\nUserTest#test_save:\n" +
		"NoMethodError: undefined method `x' for nil:NilClass\n    app/models/user.rb:3:in `save'\n" +
		"    test/models/user_test.rb:9:in `block in <class:UserTest>'\n\n\n" +
		"bin/rails test test/models/user_test.rb:8\n", []string{
		"error minitest test/models/user_test.rb:5:0 [] <UserTest#test_name> Expected: 1\nActual: 2",
		"error minitest test/models/user_test.rb:9:0 [] <UserTest#test_save> NoMethodError: undefined method `x' for " +
			"nil:NilClass"}},
	{"Ruby 3.4", "main.rb:3:in 'Integer#/': divided by 0 (ZeroDivisionError)\n\tfrom main.rb:3:in 'Object#m'\n" +
		"\tfrom main.rb:5:in '<main>'\n", []string{
		"error ruby main.rb:3:0 [ZeroDivisionError] <> divided by 0"}},
	{"Bundler", "Could not find rake-13.0.6 in any of the sources\nRun `bundle install` to install missing gems.\n",
		[]string{
			"error bundler :0:0 [] <> Could not find rake-13.0.6 in any of the sources"}},
	{"PHPUnit 10", "There were 2 PHPUnit errors:\n\n1) App\\Tests\\CalcTest::testA\n" +
		"The data provider specified for App\\Tests\\CalcTest::testA is invalid\n\n/app/tests/CalcTest.php:8\n\n" +
		"2) App\\Tests\\CalcTest::testB\nx\n\n--\n\nThere was 1 failure:\n\n1) App\\Tests\\CalcTest::testDiv\n" +
		"Failed asserting that 2 is identical to 3.\n\n/app/src/Calc.php:3\n/app/tests/CalcTest.php:12\n\n--\n\n" +
		"There was 1 risky test:\n\n1) App\\Tests\\CalcTest::testRisky\nThis test did not perform any assertions\n\n" +
		"FAILURES!\nTests: 3, Assertions: 1, Errors: 2, Failures: 1, Risky: 1.\n", []string{
		"error phpunit /app/tests/CalcTest.php:8:0 [] <App\\Tests\\CalcTest::testA> The data provider specified for " +
			"App\\Tests\\CalcTest::testA is invalid",
		"error phpunit :0:0 [] <App\\Tests\\CalcTest::testB> x",
		"error phpunit /app/tests/CalcTest.php:12:0 [] <App\\Tests\\CalcTest::testDiv> Failed asserting that 2 is " +
			"identical to 3.",
		"info phpunit :0:0 [] <> FAILURES!"}},
	{"Codeception", "There was 1 failure:\n1) LoginCest: Logs in\n Test  tests/acceptance/LoginCest.php:logsIn\n" +
		" Step  See \"Welcome\"\n Fail  Failed asserting that on page /login\n\nScenario Steps:\n\n" +
		" 1. $I->amOnPage(\"/\") at tests/acceptance/LoginCest.php:9\n\n\nFAILURES!\n" +
		"Tests: 1, Assertions: 1, Failures: 1.\n", []string{
		"error phpunit tests/acceptance/LoginCest.php:0:0 [] <LoginCest: Logs in> Failed asserting that on page /login",
		"info phpunit :0:0 [] <> FAILURES!"}},
	{"PHP 5", "PHP Fatal error:  Call to undefined function nowhere() in /app/a.php on line 2\nPHP Stack trace:\n" +
		"PHP   1. {main}() /app/a.php:0\n", []string{
		"error php /app/a.php:2:0 [] <> Call to undefined function nowhere()"}},
	{"Behat", "--- Failed scenarios:\n\n    features/login.feature:12\n    features/cart.feature:3\n\n" +
		"5 scenarios (3 passed, 2 failed)\n", []string{
		"error behat features/login.feature:12:0 [] <features/login.feature:12> scenario failed",
		"error behat features/cart.feature:3:0 [] <features/cart.feature:3> scenario failed"}},
	{"Symfony 2's console", "\n  [InvalidArgumentException]  \n  no such thing               \n\n", []string{
		"error composer :0:0 [InvalidArgumentException] <> no such thing"}},
	{"cpanm", "! Couldn't find module or a distribution Nowhere\n" +
		"! Installing Thing failed. See /root/.cpanm/work/1/build.log for details. Retry with --force to force install " +
		"it.\n", []string{
		"error cpanm :0:0 [] <> Couldn't find module or a distribution Nowhere",
		"info cpanm :0:0 [] <> Installing Thing failed. See /root/.cpanm/work/1/build.log for details. Retry with " +
			"--force to force install it."}},
	{"perlcritic of files", "lib/A.pm: Code before strictures are enabled at line 3, column 1.  See page 429 of PBP.  " +
		"(Severity: 5)\n", []string{
		"error perlcritic lib/A.pm:3:1 [] <> Code before strictures are enabled"}},
	{"testthat 0.11", "1. Failure: sums work (@test-calc.R#3) -----------------------------------------\n" +
		"1 + 1 not equal to 3.\n1/1 mismatches\n\n" +
		"testthat results ================================================================\n", []string{
		"error testthat test-calc.R:3:0 [] <sums work> 1 + 1 not equal to 3.\n1/1 mismatches"}},
	{"testthat 3.2", "── Failure (test-calc.R:3:5): sums work ────────────────────\n" +
		"1 + 1 (`actual`) not equal to 3 (`expected`).\n\n[ FAIL 1 | WARN 0 | SKIP 0 | PASS 3 ]\nError: Test failures\n" +
		"Execution halted\n", []string{
		"error testthat test-calc.R:3:5 [] <sums work> 1 + 1 (`actual`) not equal to 3 (`expected`).",
		"info r :0:0 [] <> Test failures"}},
	{"R, long call", "Error in loadNamespace(i, c(lib.loc, .libPaths()), versionCheck = vI[[i]]) : \n" +
		"  there is no package called ‘nowhere’\nCalls: library -> loadNamespace\nExecution halted\n", []string{
		"error r :0:0 [] <> there is no package called ‘nowhere’"}},
	{"Vim's list", "Failures: \n\tFrom test_a.vim:\n\tFound errors in Test_one():\n" +
		"\tfunction RunTheTest[40]..Test_one line 3: Expected 1 but got 2\n\tFound errors in Test_two():\n" +
		"\tCaught exception in Test_two(): E117\n\nTEST FAILURE\n", []string{
		"error vim test_a.vim:0:0 [] <Test_one> Expected 1 but got 2",
		"error vim test_a.vim:0:0 [] <Test_two> Caught exception in Test_two(): E117",
		"info vim :0:0 [] <> TEST FAILURE"}},
	{"green text", "Failures: 0\n3 examples, 0 failures\n[+] error [-] handling 12ms\n! cpan\nError: 0\n" +
		"ok 3 - Failed at line 3.\nThere were 3 deprecations:\n\n1) CalcTest::testOld\nold\n\n" +
		"OK, but there were issues!\nx.rb:3: is fine\n* checking tests ... OK\n* checking for ERROR ... OK\n", nil},
}

// These tools print different text in different versions. The goldens come from one version. The text of the other
// versions is taken from documentation and source.
func TestScriptLanguageShapes(t *testing.T) {
	testShapes(t, scriptShapes)
}
